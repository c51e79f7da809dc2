class Toolcrib < Formula
  desc "Terminal workbench for people who make tools for LLM agents"
  homepage "https://github.com/REPOSITORY"
  version "VERSION"
  license any_of: ["MIT", "Apache-2.0"]

  ARCHIVES

  def install
    bin.install "bin/toolcrib"
    man1.install Dir["share/man/man1/*.1"]
    bash_completion.install "share/bash-completion/completions/toolcrib"
    zsh_completion.install "share/zsh/site-functions/_toolcrib"
    fish_completion.install "share/fish/vendor_completions.d/toolcrib.fish"
    doc.install Dir["share/doc/toolcrib/*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/toolcrib --version")
    (testpath/"tools.yaml").write "tool:\n  joke:\n    type: text-completion\n    name: Joke\n    description: Tells a joke.\n"
    system bin/"toolcrib", "check", testpath
  end
end
