import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const DOCS = join(import.meta.dirname, '../../docs')

/** Texts in a documented file and their replacements here: addresses, folders, limits. */
export type Places = Readonly<Record<string, string>>

/** Returns a documented file with replacements; each text must occur in it. */
export async function documented(path: string, places: Places): Promise<string> {
  let text = await readFile(join(DOCS, path), 'utf8')
  for (const [there, here] of Object.entries(places)) {
    if (!text.includes(there)) throw new Error(`${there} is not in docs/${path}`)
    text = text.replaceAll(there, here)
  }
  return text
}
