{
  description = "A terminal workbench for people who make tools for LLM agents";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      manifest = (nixpkgs.lib.importTOML ./Cargo.toml).package;
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = manifest.name;
          version = manifest.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          buildFeatures = [ "window" ];
          nativeBuildInputs = [ pkgs.installShellFiles pkgs.makeWrapper ];
          # The tests need brokers and Python packages; .ci/run runs them.
          doCheck = false;
          postInstall = ''
            $out/bin/toolcrib man > toolcrib.1
            installManPage toolcrib.1
            for shell in bash fish zsh; do
              installShellCompletion --cmd toolcrib --$shell <($out/bin/toolcrib completions $shell)
            done
            install -Dm644 packaging/toolcrib.desktop -t $out/share/applications
            install -Dm644 packaging/toolcrib.svg -t $out/share/icons/hicolor/scalable/apps
          '' + pkgs.lib.optionalString pkgs.stdenv.isLinux ''
            # What the window opens when it starts.
            wrapProgram $out/bin/toolcrib --prefix LD_LIBRARY_PATH : ${pkgs.lib.makeLibraryPath (with pkgs; [ libxkbcommon wayland xorg.libX11 xorg.libXcursor xorg.libXi xorg.libxcb ])}
          '';
          meta = {
            description = manifest.description;
            license = with nixpkgs.lib.licenses; [ mit asl20 ];
            mainProgram = "toolcrib";
          };
        };
      });

      devShells = each (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [ cargo rustc clippy rustfmt cargo-nextest cargo-deny cargo-audit python3 nodejs ];
        };
      });
    };
}
