import type { HematopoieticData } from './hematopoietic-data.ts'

/**
 * One table out of its CSV text, recognised by its head line; lay it over the others.
 * @param name the file's name, for errors
 * @throws EngineError bad_input naming file, line and column
 */
export function parseHematopoietic(name: string, text: string): Partial<HematopoieticData> {
  throw new Error(`not written: ${name} ${text}`)
}
