import Foundation

/// Arguments → command → exit code.
@main
struct Main {
    static func main() async {
        // How wide characters are, whatever the user's language; the C library copies the name.
        _ = unsafe setlocale(LC_ALL, "C.UTF-8")
        do throws(UsageError) {
            let arguments = try Arguments(parsing: Array(CommandLine.arguments.dropFirst()))
            exit(await CommandRunner.run(arguments).rawValue)
        } catch {
            Output.complain("\(error.message)\n\(Arguments.usage)")
            exit(ExitCode.usage.rawValue)
        }
    }
}

/// How the program ends; the numbers are those of sysexits.h.
enum ExitCode: Int32 {
    case done = 0
    case failed = 1
    case usage = 64
    case noInput = 66
    case unavailable = 69
}
