/** Responses of the desk's data. */
import { text } from "node:stream/consumers";
import { pageResponse } from "../local/gateway.ts";
import type { HttpResponse } from "../local/lambda.ts";

export const json = (value: unknown): HttpResponse => pageResponse("application/json", JSON.stringify(value));

export const errorResponse = (statusCode: number, message: string): HttpResponse => ({
  ...json({ message }),
  statusCode,
});

export const textOf = async ({ body }: HttpResponse): Promise<string> => (typeof body === "string" ? body : text(body));
