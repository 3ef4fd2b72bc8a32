$TOOLS/bin/oapi-codegen -package main -generate client,models -o client.go $DOCUMENT
cp $TOOLS/go.mod .
go mod tidy
go run .
