import { z } from '@hono/zod-openapi'

/** Maximum number of texts, the same as of regions and genes of one slice (engine/commons/slicing/select.ts). */
const MAX_TEXTS = 100_000

/**
 * Defines a parameter that may be repeated, an array or a single text. A single empty text counts as missing,
 * because some clients send all parameters they know (data-commons.md 9 rule 13). Parsed by hand: a schema takes a
 * microsecond for each of half a million members, and more for invalid ones.
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
