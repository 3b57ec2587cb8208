// SPDX-License-Identifier: Apache-2.0

import Kit

struct FakeWindow: Shown {}
