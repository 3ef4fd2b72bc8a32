# Installs the generators into the current folder, from npm, PyPI, the Go module proxy and Maven Central.
set -eu
npm install --silent --no-audit --no-fund --prefix . typescript@5.9.3 @types/node@24.19.2 \
  openapi-typescript@7.13.0 openapi-fetch@0.17.0 @hey-api/openapi-ts@0.99.0 \
  @redocly/cli@2.77.0 @stoplight/spectral-cli@6.16.3
python3 -m venv python
python/bin/pip install --quiet openapi-python-client==0.29.1 pydantic==2.14.3 urllib3==2.8.0 python-dateutil==4.0.0
GOBIN="$PWD/bin" go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2
mvn --quiet --batch-mode org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy -Dmdep.stripVersion=true \
  -DoutputDirectory=. -Dartifact=org.openapitools:openapi-generator-cli:7.25.0
