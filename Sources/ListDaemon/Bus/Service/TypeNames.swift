// SPDX-License-Identifier: Apache-2.0

/// The names of the composite types of listd's interfaces by their signatures, for the annotations
/// `org.qtproject.QtDBus.QtTypeName`. Names without `Listd` are types of Qt.
let qtTypeNames: [String: String] = [
    "a{sv}": "QVariantMap",
    "a{st}": "ListdCounters",
    "au": "QList<uint>",
    "(dd)": "QPointF",
    "(dddd)": "QRectF",
    "(uu)": "ListdRange",
    "a(ssa{sv})": "ListdObjects",
    "a(ssssa{sv})": "ListdUpserts",
    "a(ususa{sv})": "ListdItems",
    "a(ttsuu(a(uu)a(uu)a(uu)a(uu))(a(uu)a(uu)a(uuuu)a(uu)))": "ListdBatches",
    "(a(uu)a(uu)a(uu)a(uu))": "ListdSectionChanges",
    "(a(uu)a(uu)a(uuuu)a(uu))": "ListdItemChanges",
    "a(us)": "ListdSections",
    "a(usu)": "ListdSectionItems",
    "a(su)": "ListdSelection",
    "a(soa{sv})": "ListdAdapters",
    "a(oa{sv})": "ListdViews",
    "a(sa{sv})": "ListdDescriptions",
    "a(sudd)": "ListdSizes",
    "a(usuuss(dddd)xa{sv})": "ListdShown",
    "a(uuu(dddd)x)": "ListdPlaced",
    "a(ua{sv})": "ListdRebound",
    "a(ts)": "ListdLosses",
]
