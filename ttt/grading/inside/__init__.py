"""Our code that runs inside a sandbox, beside a submission. It holds no answers, and nobody trusts what it says.

`runner` asks a function about boards, `player` asks a player for its moves, and both read the code with `submission`.
`interface_server` plays on an interface.
"""
