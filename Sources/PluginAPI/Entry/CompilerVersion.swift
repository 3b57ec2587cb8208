// SPDX-License-Identifier: Apache-2.0

/// The release of the compiler, as `major << 16 | minor << 8 | patch`.
///
/// A newer compiler than the newest named here reads as that one; the build string distinguishes them.
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
