import { z } from '@hono/zod-openapi'

/** Maximum number of texts. A slice has the same limit on regions and genes (engine/commons/slicing/select.ts). */
const MAX_TEXTS = 100_000

/**
 * Defines a parameter of texts: repeated, an array, or a single text. A single empty text counts as missing,
 * because some clients send every parameter (data-commons.md 9 rule 13). It is parsed by hand, because a schema
 * takes a microsecond for each of half a million members, and longer for invalid ones.
 */
export function texts(description: string) {
  return z
    .unknown()
    .refine((given) => given !== null)
    .optional()
    .transform(readTexts)
    .openapi({
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
      description,
    })
}

function readTexts(given: unknown, context: z.core.$RefinementCtx): readonly string[] {
  if (given === undefined || given === '') return []
  if (typeof given === 'string') return [given]
  if (!Array.isArray(given)) {
    const received = nameOf(given)
    const message = `expected string, received ${received}; or expected array, received ${received}`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
  if (given.length > MAX_TEXTS) {
    const message = `${given.length} texts are given; give at most ${MAX_TEXTS}`
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
  const wrong = given.findIndex((text) => typeof text !== 'string')
  if (wrong === -1) return given
  const message = `expected string, received ${nameOf(given[wrong])}`
  context.addIssue({ code: 'custom', message, path: [wrong] })
  return z.NEVER
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
