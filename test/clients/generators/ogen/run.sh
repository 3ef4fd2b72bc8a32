$TOOLS/bin/ogen --target api --package api --clean $DOCUMENT 2> generator.log
cp $TOOLS/go.mod .
go mod tidy 2> tidy.log
go run .
