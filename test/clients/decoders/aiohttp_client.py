"""Prints the coding and the digest of each decoded response, with aiohttp and its own headers."""
import asyncio, hashlib, os, sys
import aiohttp

headers = {"Authorization": f"Bearer {os.environ['API_KEY']}"}


async def main():
    async with aiohttp.ClientSession(headers=headers) as client:
        for url in open(sys.argv[1]).read().split():
            async with client.get(url) as response:
                body = await response.read()
                print(response.headers.get("content-encoding"), hashlib.sha256(body).hexdigest())


asyncio.run(main())
