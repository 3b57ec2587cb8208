// SPDX-License-Identifier: Apache-2.0

extension MimeTypes {
    /// The built-in table, for machines without the freedesktop database.
    static let builtIn = MimeTypes(
        byName: ["makefile": "text/x-makefile", "readme": "text/x-readme", "copying": "text/x-copying"],
        bySuffix: [
            "7z": "application/x-7z-compressed", "avif": "image/avif", "bz2": "application/x-bzip", "c": "text/x-csrc",
            "conf": "text/plain", "cpp": "text/x-c++src", "css": "text/css", "csv": "text/csv",
            "deb": "application/vnd.debian.binary-package", "desktop": "application/x-desktop",
            "doc": "application/msword",
            "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "epub": "application/epub+zip", "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip",
            "h": "text/x-chdr", "htm": "text/html", "html": "text/html", "iso": "application/x-cd-image",
            "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
            "log": "text/x-log", "m4a": "audio/mp4", "md": "text/markdown", "mkv": "video/x-matroska",
            "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
            "odp": "application/vnd.oasis.opendocument.presentation",
            "ods": "application/vnd.oasis.opendocument.spreadsheet",
            "odt": "application/vnd.oasis.opendocument.text", "ogg": "audio/ogg", "opus": "audio/ogg",
            "otf": "font/otf", "pdf": "application/pdf", "png": "image/png", "py": "text/x-python",
            "rs": "text/rust", "rtf": "application/rtf", "sh": "application/x-shellscript",
            "so": "application/x-sharedlib",
            "sql": "application/sql", "svg": "image/svg+xml", "swift": "text/x-swift", "tar": "application/x-tar",
            "tar.gz": "application/x-compressed-tar", "tar.xz": "application/x-xz-compressed-tar",
            "tgz": "application/x-compressed-tar", "tif": "image/tiff", "tiff": "image/tiff",
            "toml": "application/toml",
            "ttf": "font/ttf", "txt": "text/plain", "wav": "audio/x-wav", "webm": "video/webm", "webp": "image/webp",
            "xls": "application/vnd.ms-excel",
            "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
            "xz": "application/x-xz", "yaml": "application/x-yaml", "yml": "application/x-yaml",
            "zip": "application/zip", "zst": "application/zstd",
        ],
        genericIcons: [
            "application/gzip": "package-x-generic", "application/pdf": "x-office-document",
            "application/x-compressed-tar": "package-x-generic", "application/x-shellscript": "text-x-script",
            "application/x-tar": "package-x-generic", "application/zip": "package-x-generic",
            "application/vnd.debian.binary-package": "package-x-generic",
        ])
}
