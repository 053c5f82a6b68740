import { z } from '@hono/zod-openapi'

/** As many regions and genes as one slice takes (engine/commons/slicing/select.ts). */
const MAX_TEXTS = 100_000

/**
 * A parameter that may be repeated, be an array, or be one text. A single empty text means absent,
 * since some clients send every parameter they know (data-commons.md 9.13). Read by hand: a schema takes a
 * microsecond for each of half a million members, and more for each that it refuses.
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
