import { readFile, writeFile } from 'node:fs/promises'
import { readReport } from './report.ts'
import { makePage, PAGE } from './table.ts'

// npm run proof -- REPORT... : generates docs/proof.md.

const reports = await Promise.all(process.argv.slice(2).map(readReport))
await writeFile(PAGE, makePage(await readFile(PAGE, 'utf8'), reports))
