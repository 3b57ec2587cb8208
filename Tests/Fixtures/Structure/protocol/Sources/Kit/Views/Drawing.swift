// SPDX-License-Identifier: Apache-2.0

protocol Drawn {}
struct Line: Drawn {}

/// Tests count: the second conformer is one of theirs.
protocol Shown {}
struct Window: Shown {}

protocol Ordered {}
protocol Sorted: Ordered {}
struct Row {}
extension Row: Sorted {}
struct Column: Sorted {}

/// Others may conform to what is public.
/// Others may conform to what is public.
public protocol Painter {}
struct Brush: Painter {}
