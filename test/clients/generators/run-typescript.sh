# Checks the types of client.ts, bundles it and runs it.
$TOOLS/node_modules/.bin/tsc --noEmit --strict --target es2024 --module esnext --moduleResolution bundler \
  --allowImportingTsExtensions --types node client.ts
esbuild client.ts --log-level=warning --bundle --platform=node --format=esm --outfile=client.mjs
node client.mjs
