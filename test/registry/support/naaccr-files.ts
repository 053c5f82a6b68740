import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { NaaccrFiles } from '../../../engine/registry/naaccr/naaccr.ts'

/** The files of a version in a test's folder, as an import names them. */
export function naaccrFiles(folder: string): NaaccrFiles {
  const sections = join(folder, 'sections.csv')
  return {
    dictionary: join(folder, 'dictionary.xml'),
    sections: existsSync(sections) ? sections : undefined,
  }
}
