// SPDX-License-Identifier: Apache-2.0

/// Returns the release of the compiler, as `major << 16 | minor << 8 | patch`.
///
/// For a compiler that is newer than all releases below, it returns the newest of these. The build string distinguishes
/// such compilers.
@_alwaysEmitIntoClient
@usableFromInline internal func compilerVersionNumber() -> UInt32 {
    #if compiler(>=6.5)
    0x06_05_00
    #elseif compiler(>=6.4)
    0x06_04_00
    #elseif compiler(>=6.3.3)
    0x06_03_03
    #elseif compiler(>=6.3.2)
    0x06_03_02
    #elseif compiler(>=6.3.1)
    0x06_03_01
    #elseif compiler(>=6.3)
    0x06_03_00
    #else
    0x06_02_00
    #endif
}
