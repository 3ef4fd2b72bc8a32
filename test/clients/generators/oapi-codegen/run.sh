$TOOLS/bin/oapi-codegen -package main -generate client,models -o client.go $DOCUMENT
printf 'module client\ngo 1.25.0\nrequire github.com/oapi-codegen/runtime v1.8.0\n' > go.mod
go mod tidy
go run .
