// SPDX-License-Identifier: Apache-2.0
// The composite types of listd's interfaces, under the names that the interface files give them for QtDBus.
// registerListdTypes() is called once before the first call.
#pragma once

#include <QtDBus/QtDBus>

// Declares a structure of the given members with the operators that QtDBus needs. A macro, as C++ cannot name members generically.
#define LISTD_STRUCT(Name, Members, ...)                              \
    struct Name {                                                     \
        Members auto tie() const { return std::tie(__VA_ARGS__); }    \
        auto tie() { return std::tie(__VA_ARGS__); }                  \
    };                                                                \
    inline QDBusArgument &operator<<(QDBusArgument &out, const Name &value) { return listdWrite(out, value.tie()); } \
    inline const QDBusArgument &operator>>(const QDBusArgument &in, Name &value) { return listdRead(in, value.tie()); }

template <typename Tuple> QDBusArgument &listdWrite(QDBusArgument &out, const Tuple &members)
{
    out.beginStructure();
    std::apply([&](const auto &...member) { (void)(out << ... << member); }, members);
    out.endStructure();
    return out;
}

template <typename Tuple> const QDBusArgument &listdRead(const QDBusArgument &in, Tuple members)
{
    in.beginStructure();
    std::apply([&](auto &...member) { (void)(in >> ... >> member); }, members);
    in.endStructure();
    return in;
}

LISTD_STRUCT(ListdRange, uint first = 0; uint count = 0;, first, count)
LISTD_STRUCT(ListdObject, QString id; QString type; QVariantMap fields;, id, type, fields)
LISTD_STRUCT(ListdUpsert, QString id; QString type; QString position; QString anchor; QVariantMap fields;, id, type, position,
             anchor, fields)
LISTD_STRUCT(ListdMove, uint from = 0; uint to = 0;, from, to)
LISTD_STRUCT(ListdItemMove, uint fromSection = 0; uint fromItem = 0; uint toSection = 0; uint toItem = 0;, fromSection, fromItem,
             toSection, toItem)
LISTD_STRUCT(ListdSectionChanges, QList<ListdRange> deletes; QList<ListdRange> inserts; QList<ListdMove> moves;
             QList<ListdRange> reloads;, deletes, inserts, moves, reloads)
LISTD_STRUCT(ListdItemChanges, QList<ListdRange> deletes; QList<ListdRange> inserts; QList<ListdItemMove> moves;
             QList<ListdRange> reloads;, deletes, inserts, moves, reloads)
LISTD_STRUCT(ListdSection, uint section = 0; QString id;, section, id)
LISTD_STRUCT(ListdSectionItem, uint section = 0; QString id; uint item = 0;, section, id, item)
LISTD_STRUCT(ListdSelectedItem, QString id; uint item = 0;, id, item)
LISTD_STRUCT(ListdAdapter, QString name; QDBusObjectPath path; QVariantMap values;, name, path, values)
LISTD_STRUCT(ListdDescription, QString name; QVariantMap values;, name, values)
LISTD_STRUCT(ListdViewDescription, QDBusObjectPath path; QVariantMap values;, path, values)
LISTD_STRUCT(ListdLoss, qulonglong time = 0; QString text;, time, text)
LISTD_STRUCT(ListdSize, QString id; uint item = 0; double width = 0; double height = 0;, id, item, width, height)
LISTD_STRUCT(ListdShownItem, uint slot = 0; QString id; uint section = 0; uint item = 0; QString kind; QString reuse;
             QRectF frame; qlonglong z = 0; QVariantMap content;, slot, id, section, item, kind, reuse, frame, z, content)
LISTD_STRUCT(ListdPlacedItem, uint slot = 0; uint section = 0; uint item = 0; QRectF frame; qlonglong z = 0;, slot, section, item,
             frame, z)
LISTD_STRUCT(ListdReboundItem, uint slot = 0; QVariantMap content;, slot, content)
LISTD_STRUCT(ListdItem, uint section = 0; QString id; uint item = 0; QString reuse; QVariantMap content;, section, id, item,
             reuse, content)
LISTD_STRUCT(ListdBatch, qulonglong base = 0; qulonglong revision = 0; QString kind; uint sectionCount = 0; uint itemCount = 0;
             ListdSectionChanges sections; ListdItemChanges items;, base, revision, kind, sectionCount, itemCount, sections, items)

using ListdCounters = QMap<QString, qulonglong>;
using ListdObjects = QList<ListdObject>;
using ListdUpserts = QList<ListdUpsert>;
using ListdItems = QList<ListdItem>;
using ListdBatches = QList<ListdBatch>;
using ListdSections = QList<ListdSection>;
using ListdSectionItems = QList<ListdSectionItem>;
using ListdSelection = QList<ListdSelectedItem>;
using ListdAdapters = QList<ListdAdapter>;
using ListdViews = QList<ListdViewDescription>;
using ListdDescriptions = QList<ListdDescription>;
using ListdLosses = QList<ListdLoss>;
using ListdSizes = QList<ListdSize>;
using ListdShown = QList<ListdShownItem>;
using ListdPlaced = QList<ListdPlacedItem>;
using ListdRebound = QList<ListdReboundItem>;

Q_DECLARE_METATYPE(ListdRange)
Q_DECLARE_METATYPE(ListdSectionChanges)
Q_DECLARE_METATYPE(ListdItemChanges)
Q_DECLARE_METATYPE(ListdObject)
Q_DECLARE_METATYPE(ListdUpsert)
Q_DECLARE_METATYPE(ListdItem)
Q_DECLARE_METATYPE(ListdBatch)
Q_DECLARE_METATYPE(ListdMove)
Q_DECLARE_METATYPE(ListdItemMove)
Q_DECLARE_METATYPE(ListdSection)
Q_DECLARE_METATYPE(ListdSectionItem)
Q_DECLARE_METATYPE(ListdSelectedItem)
Q_DECLARE_METATYPE(ListdAdapter)
Q_DECLARE_METATYPE(ListdDescription)
Q_DECLARE_METATYPE(ListdViewDescription)
Q_DECLARE_METATYPE(ListdLoss)
Q_DECLARE_METATYPE(ListdSize)
Q_DECLARE_METATYPE(ListdShownItem)
Q_DECLARE_METATYPE(ListdPlacedItem)
Q_DECLARE_METATYPE(ListdReboundItem)
Q_DECLARE_METATYPE(ListdCounters)

inline void registerListdTypes()
{
    qDBusRegisterMetaType<ListdRange>();
    qDBusRegisterMetaType<ListdMove>();
    qDBusRegisterMetaType<ListdItemMove>();
    qDBusRegisterMetaType<QList<ListdRange>>();
    qDBusRegisterMetaType<QList<ListdMove>>();
    qDBusRegisterMetaType<QList<ListdItemMove>>();
    qDBusRegisterMetaType<ListdSectionChanges>();
    qDBusRegisterMetaType<ListdItemChanges>();
    qDBusRegisterMetaType<ListdObject>();
    qDBusRegisterMetaType<ListdObjects>();
    qDBusRegisterMetaType<ListdUpsert>();
    qDBusRegisterMetaType<ListdUpserts>();
    qDBusRegisterMetaType<ListdItem>();
    qDBusRegisterMetaType<ListdItems>();
    qDBusRegisterMetaType<ListdBatch>();
    qDBusRegisterMetaType<ListdBatches>();
    qDBusRegisterMetaType<ListdSection>();
    qDBusRegisterMetaType<ListdSections>();
    qDBusRegisterMetaType<ListdSectionItem>();
    qDBusRegisterMetaType<ListdSectionItems>();
    qDBusRegisterMetaType<ListdSelectedItem>();
    qDBusRegisterMetaType<ListdSelection>();
    qDBusRegisterMetaType<ListdAdapter>();
    qDBusRegisterMetaType<ListdAdapters>();
    qDBusRegisterMetaType<ListdViewDescription>();
    qDBusRegisterMetaType<ListdViews>();
    qDBusRegisterMetaType<ListdDescription>();
    qDBusRegisterMetaType<ListdDescriptions>();
    qDBusRegisterMetaType<ListdLoss>();
    qDBusRegisterMetaType<ListdLosses>();
    qDBusRegisterMetaType<ListdSize>();
    qDBusRegisterMetaType<ListdSizes>();
    qDBusRegisterMetaType<ListdShownItem>();
    qDBusRegisterMetaType<ListdShown>();
    qDBusRegisterMetaType<ListdPlacedItem>();
    qDBusRegisterMetaType<ListdPlaced>();
    qDBusRegisterMetaType<ListdReboundItem>();
    qDBusRegisterMetaType<ListdRebound>();
    qDBusRegisterMetaType<ListdCounters>();
}
