package files

// fileTypes says which names the files of a language have, for --type. The names
// are those that search programs share; two names of one language have the same files.
func fileTypes() map[string]string {
	const (
		cFiles      = "*.c *.h"
		cppFiles    = "*.cpp *.cc *.cxx *.c++ *.C *.hpp *.hh *.hxx *.h++ *.h *.H *.inl *.ipp *.tpp"
		csFiles     = "*.cs *.csx"
		elFiles     = "*.el"
		hsFiles     = "*.hs *.lhs"
		jsFiles     = "*.js *.jsx *.mjs *.cjs *.vue"
		ktFiles     = "*.kt *.kts"
		mdFiles     = "*.md *.markdown *.mdown *.mkd *.mkdn *.mdx"
		pyFiles     = "*.py *.pyi *.pyw"
		rbFiles     = "*.rb *.rbw *.rake *.gemspec Gemfile Rakefile config.ru"
		rsFiles     = "*.rs"
		shFiles     = "*.sh *.bash *.ksh *.zsh *.csh *.tcsh .bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc"
		tfFiles     = "*.tf *.tfvars *.tf.json"
		tsFiles     = "*.ts *.tsx *.mts *.cts"
		yamlFiles   = "*.yaml *.yml"
		protoFiles  = "*.proto"
		dockerFiles = "*Dockerfile* *.dockerfile Containerfile"
	)
	return map[string]string{
		"ada": "*.adb *.ads", "asm": "*.s *.S *.asm", "awk": "*.awk", "bazel": "*.bzl *.bazel BUILD WORKSPACE MODULE.bazel", "bat": "*.bat *.cmd",
		"c": cFiles, "cpp": cppFiles, "c++": cppFiles, "clojure": "*.clj *.cljs *.cljc *.edn", "cmake": "*.cmake CMakeLists.txt", "config": "*.cfg *.conf *.config *.ini",
		"cs": csFiles, "csharp": csFiles, "css": "*.css *.scss *.sass *.less", "csv": "*.csv *.tsv", "cuda": "*.cu *.cuh", "cython": "*.pyx *.pxd *.pxi",
		"d": "*.d", "dart": "*.dart", "diff": "*.diff *.patch", "docker": dockerFiles, "dockerfile": dockerFiles,
		"elisp": elFiles, "elixir": "*.ex *.exs *.eex *.heex *.leex", "elm": "*.elm", "erlang": "*.erl *.hrl", "fish": "*.fish", "fortran": "*.f *.F *.f77 *.F77 *.f90 *.F90 *.f95 *.F95",
		"fsharp": "*.fs *.fsi *.fsx", "go": "*.go", "gradle": "*.gradle *.gradle.kts", "graphql": "*.graphql *.gql", "groovy": "*.groovy *.gradle",
		"h": "*.h *.hh *.hpp", "haskell": hsFiles, "hs": hsFiles, "html": "*.html *.htm *.xhtml *.ejs", "ini": "*.ini", "java": "*.java *.jsp *.jspx *.properties",
		"jinja": "*.j2 *.jinja *.jinja2", "jl": "*.jl", "js": jsFiles, "javascript": jsFiles, "json": "*.json *.jsonc *.json5 composer.lock", "jsonl": "*.jsonl *.ndjson", "julia": "*.jl",
		"kotlin": ktFiles, "kt": ktFiles, "less": "*.less", "lisp": "*.lisp *.lsp *.cl *.el *.scm", "lock": "*.lock package-lock.json pnpm-lock.yaml", "log": "*.log", "lua": "*.lua",
		"make": "*.mk *.mak Makefile makefile GNUmakefile *.make", "markdown": mdFiles, "md": mdFiles, "matlab": "*.m", "nim": "*.nim *.nimble *.nims", "nix": "*.nix",
		"objc": "*.m *.h", "objcpp": "*.mm *.h", "ocaml": "*.ml *.mli *.mll *.mly", "org": "*.org", "pascal": "*.pas *.pp *.dpr *.lpr", "perl": "*.pl *.pm *.t *.pod *.PL",
		"php": "*.php *.php3 *.php4 *.php5 *.phtml", "proto": protoFiles, "protobuf": protoFiles, "ps": "*.ps1 *.psm1 *.psd1", "powershell": "*.ps1 *.psm1 *.psd1",
		"purescript": "*.purs", "py": pyFiles, "python": pyFiles, "r": "*.r *.R *.Rmd *.Rnw", "racket": "*.rkt", "rb": rbFiles, "ruby": rbFiles, "rs": rsFiles, "rust": rsFiles,
		"rst": "*.rst", "sass": "*.sass *.scss", "scala": "*.scala *.sbt *.sc", "scheme": "*.scm *.ss", "sh": shFiles, "shell": shFiles, "solidity": "*.sol",
		"sql": "*.sql *.psql", "svelte": "*.svelte", "svg": "*.svg", "swift": "*.swift", "tcl": "*.tcl", "tex": "*.tex *.ltx *.cls *.sty *.bib *.dtx *.ins",
		"terraform": tfFiles, "tf": tfFiles, "thrift": "*.thrift", "toml": "*.toml Cargo.lock", "ts": tsFiles, "typescript": tsFiles, "txt": "*.txt",
		"vb": "*.vb", "verilog": "*.v *.vh *.sv *.svh", "vhdl": "*.vhd *.vhdl", "vim": "*.vim .vimrc", "vue": "*.vue", "wasm": "*.wat *.wast",
		"xml": "*.xml *.xsd *.xsl *.xslt *.dtd *.rng *.svg *.xhtml *.xml.dist", "yaml": yamlFiles, "yml": yamlFiles, "zig": "*.zig", "zsh": "*.zsh .zshrc .zshenv .zprofile .zlogin .zlogout",
	}
}
