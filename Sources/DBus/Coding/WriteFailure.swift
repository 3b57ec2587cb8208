// SPDX-License-Identifier: Apache-2.0

/// Why a message could not be written.
///
/// Indirect: every writer has room for one, and hardly any has one.
indirect enum WriteFailure {
    /// Another kind of value than the signature has there; nil = the signature has no more types.
    case mismatch(expected: TypeCode?, got: TypeCode)
    /// A container that got fewer values than its type has.
    case incomplete(TypeCode)
    case tooDeep
    /// More bytes than this.
    case tooLarge(Int)
    case nul(String)
    case notUTF8
    /// A variant's type that is not exactly one type.
    case notSingle(Signature)
    case noMemory
    /// The closure that appended a container's contents threw.
    case abandoned
    case custom(DBusError)

    var error: DBusError {
        switch self {
        case .mismatch(let expected?, let got):
            .invalidArgs("a value of type “\(got)” was given where “\(expected)” belongs")
        case .mismatch(nil, let got):
            .invalidArgs("a value of type “\(got)” was given behind the last one")
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
            .invalidArgs("a variant holds exactly one type, not \(signature.text.quoted)")
        case .noMemory:
            DBusError(.noMemory, "no memory for the message, or too many descriptors in it")
        case .abandoned:
            .failed("the message was given up")
        case .custom(let error):
            error
        }
    }
}
