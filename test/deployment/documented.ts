import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export const DOCS = join(import.meta.dirname, '../../docs')

/** What stands in a documented file, and what it is here: addresses, folders, bounds. */
export type Places = Readonly<Record<string, string>>

/** The text of a documented file with its places replaced; each of them must be in it. */
export async function documented(path: string, places: Places): Promise<string> {
  let text = await readFile(join(DOCS, path), 'utf8')
  for (const [there, here] of Object.entries(places)) {
    if (!text.includes(there)) throw new Error(`${there} is not in docs/${path}`)
    text = text.replaceAll(there, here)
  }
  return text
}
