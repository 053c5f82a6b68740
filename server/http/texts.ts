import { z } from 'zod'

/**
 * A parameter that may be repeated, be an array, or be one text. A single empty text means absent,
 * since some clients send every parameter they know (contract 9.13).
 */
export function texts(description: string) {
  return z
    .union([z.string(), z.array(z.string())])
    .optional()
    .transform((given): readonly string[] => {
      if (given === undefined || given === '') return []
      return typeof given === 'string' ? [given] : given
    })
    .describe(description)
}
