/** DynamoDB's expressions, as far as the project uses them. Each text is parsed once. */

export type Item = Record<string, unknown>;
type Values = Record<string, unknown>;
type Names = Record<string, string>;
type Eval = (item: Item, values: Values, names: Names) => unknown;

const functions: Record<string, (args: Eval[]) => Eval> = {
  attribute_exists:
    ([a]) =>
    (item, values, names) =>
      a?.(item, values, names) !== undefined,
  attribute_not_exists:
    ([a]) =>
    (item, values, names) =>
      a?.(item, values, names) === undefined,
  begins_with:
    ([a, b]) =>
    (item, values, names) =>
      String(a?.(item, values, names) ?? "").startsWith(String(b?.(item, values, names))),
  if_not_exists:
    ([a, b]) =>
    (item, values, names) =>
      a?.(item, values, names) ?? b?.(item, values, names),
  list_append:
    ([a, b]) =>
    (item, values, names) => [
      ...((a?.(item, values, names) ?? []) as unknown[]),
      ...((b?.(item, values, names) ?? []) as unknown[]),
    ],
};

type Comparable = number | string;
const comparisons: Record<string, (a: Comparable, b: Comparable) => boolean> = {
  "=": (a, b) => a === b,
  "<>": (a, b) => a !== b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

const parser = (text: string) => {
  const tokens = text.match(/<=|>=|<>|[()=<>,]|[#:]?\w+/g) ?? [];
  const take = (): string => tokens.shift() ?? "";
  const operand = (): Eval => {
    const token = take();
    const make = functions[token];
    if (make) {
      take(); // (
      const args = [operand()];
      while (take() === ",") args.push(operand());
      return make(args);
    }
    if (!/^[#:]?\w+$/.test(token)) throw new Error(`The simulated table does not know ${token} in ${text}`);
    if (token.startsWith(":")) return (_item, values) => values[token];
    return (item, _values, names) => item[names[token] ?? token];
  };
  const comparison = (): Eval => {
    if (tokens[0] === "(") {
      take();
      const inner = either();
      take();
      return inner;
    }
    const left = operand();
    if (tokens[0] === "BETWEEN") {
      take();
      const [low, , high] = [operand(), take(), operand()]; // :low AND :high
      return (...on) => String(left(...on)) >= String(low(...on)) && String(left(...on)) <= String(high(...on));
    }
    const sign = tokens[0] ?? "";
    const compare = comparisons[sign];
    if (!compare) return left;
    take();
    const right = operand();
    return (item, values, names) => {
      const [a, b] = [left(item, values, names), right(item, values, names)];
      if (a === undefined || typeof a !== typeof b) return sign === "<>";
      return compare(a as Comparable, b as Comparable);
    };
  };
  const both = (): Eval => {
    let left = comparison();
    while (tokens[0] === "AND") {
      take();
      const [first, second] = [left, comparison()];
      left = (...on) => first(...on) && second(...on);
    }
    return left;
  };
  const either = (): Eval => {
    let left = both();
    while (tokens[0] === "OR") {
      take();
      const [first, second] = [left, both()];
      left = (...on) => first(...on) || second(...on);
    }
    return left;
  };
  return { tokens, take, operand, either };
};

type Change = (old: Item, changed: Item, values: Values, names: Names) => void;

const parseUpdate = (text: string): Change[] => {
  const { tokens, take, operand } = parser(text);
  const changes: Change[] = [];
  for (let clause = take(); tokens.length > 0; ) {
    const name = take();
    if (["SET", "ADD", "REMOVE"].includes(name)) clause = name;
    else if (name === ",") continue;
    else if (clause === "REMOVE") changes.push((_old, changed, _values, names) => delete changed[names[name] ?? name]);
    else {
      if (clause === "SET") take(); // =
      const value = operand();
      changes.push((old, changed, values, names) => {
        const result = value(old, values, names);
        const field = names[name] ?? name;
        changed[field] = clause === "ADD" ? Number(old[field] ?? 0) + Number(result) : result;
      });
    }
  }
  return changes;
};

const remembered = <T>(parse: (text: string) => T) => {
  const known = new Map<string, T>();
  return (text: string): T => {
    const found = known.get(text) ?? parse(text);
    known.set(text, found);
    return found;
  };
};
const conditionOf = remembered((text) => parser(text).either());
const changesOf = remembered(parseUpdate);

export type Expressions = {
  ExpressionAttributeValues?: Values | undefined;
  ExpressionAttributeNames?: Names | undefined;
};

/** Whether the condition holds for the item; without a condition, it does. */
export const holds = (
  condition: string | undefined,
  item: Item | undefined,
  { ExpressionAttributeValues: values = {}, ExpressionAttributeNames: names = {} }: Expressions,
): boolean => condition === undefined || conditionOf(condition)(item ?? {}, values, names) === true;

export const updated = (
  expression: string,
  item: Item,
  { ExpressionAttributeValues: values = {}, ExpressionAttributeNames: names = {} }: Expressions,
): Item => {
  const changed = { ...item };
  for (const change of changesOf(expression)) change(item, changed, values, names);
  return changed;
};
