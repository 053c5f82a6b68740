import { z } from '@hono/zod-openapi'

/** A parameter with any number of words: repeated, joined by commas, or both (registry.md 2.2). */
export function listParameter(description: string, words?: readonly string[]) {
  const items = { type: 'string', ...(words && { enum: [...words] }) } as const
  return z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((text) => text.split(',')))
    .pipe(z.array(words ? z.enum(words) : z.string()))
    .optional()
    .openapi({ type: 'array', items, description })
}
