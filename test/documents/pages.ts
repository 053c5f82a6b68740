import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, readPage } from './page.ts'

const pagesBelow = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))

/** The pages with commands for readers to follow. */
export const PAGES = ['README.md', ...pagesBelow('docs/tutorials'), ...pagesBelow('docs/how-to')]
  .map(readPage)
  .filter(({ steps }) => steps.length > 0)
