# Installs the generators of tools/ into the current folder, a copy of it, from npm, PyPI, the Go module proxy and Maven Central.
set -eu
npm install --silent --no-audit --no-fund --prefix .
python3 -m venv python
python/bin/pip install --quiet -r requirements.txt
go build -mod=mod -o bin/ github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen github.com/ogen-go/ogen/cmd/ogen
mvn --quiet --batch-mode dependency:copy-dependencies -DexcludeTransitive -Dmdep.stripVersion=true -DoutputDirectory=.
