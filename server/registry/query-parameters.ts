import { z } from '@hono/zod-openapi'

/** A parameter that is `true` or `false`. */
export const flag = z.enum(['true', 'false']).transform((word) => word === 'true')

/**
 * Defines a parameter with any number of values, repeated or separated by commas (registry.md 2).
 * @param words the accepted values; by default any
 */
export function listParameter(description: string, words?: readonly string[]) {
  const items = { type: 'string', ...(words && { enum: [...words] }) } as const
  return z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((text) => text.split(',')))
    .pipe(z.array(words ? z.enum(words) : z.string()))
    .optional()
    .openapi({ type: 'array', items, description })
}

/** Parameters for a page of a history. The engine validates them, so that all histories give the same errors. */
export const historyQuery = z.object({
  page: z.string().optional().describe('From 1'),
  per_page: z.string().optional().describe('1 to 1,000; by default 25'),
  order: z.string().optional().describe('ASC or DESC; by default DESC, newest first'),
})

/** Converts a query to the engine's names. */
export function historyRequest({ page, per_page, order }: z.output<typeof historyQuery>) {
  return { page, perPage: per_page, order }
}
