// SPDX-License-Identifier: Apache-2.0

/// A reason why a message could not be written.
///
/// The enum is indirect so that it is small: every writer has space for a failure, and hardly any writer fails.
indirect enum WriteFailure {
    /// The value's kind differs from the next type of the signature. `expected` is nil after the last type.
    case mismatch(expected: TypeCode?, got: TypeCode)
    /// A container got fewer values than its type requires.
    case incomplete(TypeCode)
    case tooDeep
    /// The message would exceed this number of bytes.
    case tooLarge(Int)
    case nul(String)
    case notUTF8
    /// A variant's type is not exactly one complete type.
    case notSingle(Signature)
    case noMemory
    /// The closure that appended the contents of a container threw an error.
    case abandoned
    case custom(DBusError)

    var error: DBusError {
        switch self {
        case .mismatch(let expected?, let got):
            .invalidArgs("a value has the type “\(got)” instead of “\(expected)”")
        case .mismatch(nil, let got):
            .invalidArgs("a value of type “\(got)” was given after the last type of the signature")
        case .incomplete(let code):
            .invalidArgs("a value is missing in a container of type “\(code)”")
        case .tooDeep:
            .limitsExceeded("the values are nested more than 64 containers deep")
        case .tooLarge(let limit):
            .limitsExceeded("the message would be larger than \(limit) bytes")
        case .nul(let text):
            .invalidArgs("text with a NUL character cannot be sent: \(text.quoted)")
        case .notUTF8:
            .invalidArgs("text that is not UTF-8 cannot be sent")
        case .notSingle(let signature):
            .invalidArgs("the type of a variant must be one complete type, not \(signature.text.quoted)")
        case .noMemory:
            DBusError(.noMemory, "there is not enough memory for the message, or it has too many descriptors")
        case .abandoned:
            .failed("writing the message was abandoned")
        case .custom(let error):
            error
        }
    }
}
