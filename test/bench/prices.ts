/** What DynamoDB costs: AWS's public prices, us-east-1, on demand, standard table class. */
import type { Cost } from "./engine-proxy.ts";

/** In force since 1 November 2024, in US dollars for a million request units. */
const dollars = { readUnits: 0.125, writeUnits: 0.625 };

/** US dollars for a million requests that each cost this much. */
export const dollarsPerMillion = ({ readUnits, writeUnits }: Cost): number =>
  readUnits * dollars.readUnits + writeUnits * dollars.writeUnits;
