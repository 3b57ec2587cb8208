// SPDX-License-Identifier: Apache-2.0
// Reads lines "NAME SIGNATURE" and checks that QtDBus sends the type of this name with this signature.
#include "listd-types.h"

#include <iostream>
#include <map>

template <typename Type> static std::string signature()
{
#if QT_VERSION >= QT_VERSION_CHECK(6, 0, 0)
    return QDBusMetaType::typeToSignature(QMetaType::fromType<Type>());
#else
    return QDBusMetaType::typeToSignature(qMetaTypeId<Type>());
#endif
}

int main()
{
    registerListdTypes();
    const std::map<std::string, std::string> known = {
        {"QVariantMap", signature<QVariantMap>()},
        {"QList<uint>", signature<QList<uint>>()},
        {"QPointF", signature<QPointF>()},
        {"QRectF", signature<QRectF>()},
        {"ListdCounters", signature<ListdCounters>()},
        {"ListdRange", signature<ListdRange>()},
        {"ListdObjects", signature<ListdObjects>()},
        {"ListdUpserts", signature<ListdUpserts>()},
        {"ListdItems", signature<ListdItems>()},
        {"ListdBatches", signature<ListdBatches>()},
        {"ListdSectionChanges", signature<ListdSectionChanges>()},
        {"ListdItemChanges", signature<ListdItemChanges>()},
        {"ListdSections", signature<ListdSections>()},
        {"ListdSectionItems", signature<ListdSectionItems>()},
        {"ListdSelection", signature<ListdSelection>()},
        {"ListdAdapters", signature<ListdAdapters>()},
        {"ListdViews", signature<ListdViews>()},
        {"ListdDescriptions", signature<ListdDescriptions>()},
        {"ListdLosses", signature<ListdLosses>()},
        {"ListdSizes", signature<ListdSizes>()},
        {"ListdShown", signature<ListdShown>()},
        {"ListdPlaced", signature<ListdPlaced>()},
        {"ListdRebound", signature<ListdRebound>()},
    };
    int faults = 0, lines = 0;
    for (std::string name, wanted; std::cin >> name >> wanted; lines++) {
        const auto found = known.find(name);
        if (found != known.end() && found->second == wanted) continue;
        std::cerr << name << " is " << (found == known.end() ? "unknown" : found->second) << " and not " << wanted << "\n";
        faults++;
    }
    return faults > 0 || lines < 10;
}
