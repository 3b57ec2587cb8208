// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationXML
import TestSupport
import Testing

/// Generators make parameters of arguments, so no argument may have the name of a keyword.
@Suite("The names of arguments")
struct ArgumentNameTests {
    /// The reserved words of the languages in which clients are written.
    private static let keywords: [String: String] = [
        "C": """
        auto break case char const continue default do double else enum extern float for goto if inline int long
        register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
        """,
        "C++": """
        alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
        compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype
        default delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline
        int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
        reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template
        this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t
        while xor xor_eq
        """,
        "Python": """
        False None True and as assert async await break class continue def del elif else except finally for from
        global if import in is lambda nonlocal not or pass raise return try while with yield
        """,
        "Rust": """
        Self abstract as async await become box break const continue crate do dyn else enum extern false final fn for
        if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true
        try type typeof unsafe unsized use virtual where while yield
        """,
        "Swift": """
        Any Self as associatedtype break case catch class continue default defer deinit do else enum extension
        fallthrough false fileprivate for func guard if import in init inout internal is let nil open operator
        precedencegroup private protocol public repeat rethrows return self static struct subscript super switch throw
        throws true try typealias var where while
        """,
        "JavaScript": """
        arguments await break case catch class const continue debugger default delete do else enum eval export extends
        false finally for function if implements import in instanceof interface let new null package private protected
        public return static super switch this throw true try typeof var void while with yield
        """,
        "Vala": """
        abstract as async base break case catch class const construct continue default delegate delete do dynamic else
        ensures enum errordomain extern false finally for foreach get global if in inline interface internal is lock
        namespace new null out override owned params private protected public ref requires return sealed set signal
        sizeof static struct switch this throw throws true try typeof unlock unowned using var virtual void volatile
        weak while with yield
        """,
    ]

    @Test(
        "an interface file → no argument has the name of a keyword", .rule("NA-06"),
        arguments: ["Adapter", "Manager", "Plugin", "View"])
    func keywords(interface: String) throws {
        let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
        let file = URL(fileURLWithPath: "\(root)/systemd/interfaces/org.listd.Listd1.\(interface).xml")
        let names = try XMLDocument(contentsOf: file, options: []).nodes(forXPath: "//arg/@name")
            .compactMap(\.stringValue)
        #expect(!names.isEmpty || interface == "Plugin")
        for (language, words) in Self.keywords {
            let words = Set(words.split(whereSeparator: \.isWhitespace).map(String.init))
            #expect(words.count > 30 && words.intersection(names) == [], "\(language)")
        }
    }
}
