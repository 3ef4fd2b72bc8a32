/** The options and the variables of `npm start`. */
import { expect, test, vi } from "vitest";
import { UserError } from "../../../infra/cli/user-error.ts";
import { portOf, readOptions } from "../../../infra/local/options.ts";

const values = { data: "x.db", seed: "mail", api: "https://api.example.com", table: "messages", stage: "dev" };
const argsOf = (...names: (keyof typeof values)[]) => names.flatMap((name) => [`--${name}`, values[name]]);

test("Only the data and the seed go together: every other pair of options is rejected", () => {
  const names = Object.keys(values) as (keyof typeof values)[];
  const pairs = names.flatMap((one) => names.filter((other) => other > one).map((other) => [one, other] as const));
  const accepted = pairs.filter((pair) => {
    try {
      return readOptions(argsOf(...pair));
    } catch (error) {
      expect(error).toMatchObject({ name: "UserError", exitStatus: 2, message: expect.stringContaining("cannot be") });
      return false;
    }
  });

  expect(accepted).toEqual([["data", "seed"]]);
  for (const name of names) expect(String(readOptions(argsOf(name))?.[name])).toContain(values[name]);
});

test.each([
  ["https://api.example.com/dev", true],
  ["http://localhost:3000", true],
  ["http://api.localhost", true],
  ["http://127.0.0.1:3000", true],
  ["http://[::1]:3000", true],
  ["http://127.0.0.1.example.com", false],
  ["http://x127.0.0.1", false],
  ["http://localhost.example.com", false],
  ["http://notlocalhost", false],
  ["http://[::2]", false],
  ["ftp://localhost", false],
  ["file:///x", false],
])("A key goes over plain HTTP only to this machine: --api %s is accepted: %s", (address, isAccepted) => {
  const read = () => readOptions(["--api", address]);

  if (isAccepted) expect(String(read()?.api)).toContain(address);
  else expect(read).toThrow("It takes the address of an API, such as https://api.example.com. See npm start");
});

test.each([
  [undefined, 1234],
  ["0", 0],
  ["65535", 65535],
])("The port of the variable %j is %i", (value, port) => {
  vi.stubEnv("SOME_PORT", value);

  expect(portOf("SOME_PORT", 1234)).toBe(port);
});

test.each(["65536", "", "-1", "1.5", "1e3", " 80", "0x50"])("%j is no port", (value) => {
  vi.stubEnv("SOME_PORT", value);

  expect(() => portOf("SOME_PORT", 1234)).toThrow(
    new UserError(`SOME_PORT takes a port from 0 to 65535, not ${value}. See npm start -- --help`, 2),
  );
});
