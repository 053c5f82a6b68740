import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { copyDemo } from './demo/copy-demo.ts'

// Runs the commands of examples/README.md in order, exactly as written, next to a demo.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const README = readFileSync(join(ROOT, 'examples/README.md'), 'utf8')
const COMMANDS = [...README.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block).join('')

/** The page uses a million cases, which take too long here. */
const CASES = 3000

test('the commands do what they say', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-examples-'))
  try {
    await copyDemo(join(folder, 'casemill-demo'))
    const node = `"${process.execPath}"`
    const lines = COMMANDS.trim()
      .replaceAll('npm run -s fixtures --', `${node} "${ROOT}/fixtures/make.ts"`)
      .replaceAll('npm run -s example -- ', `${node} --conditions=casemill-source "${ROOT}"/`)
      .replace(/(stage-cases\.ts .*)/, `$1 ${CASES}`)
      .split('\n')
    expect(lines).toHaveLength(8)
    const script = ['set -euo pipefail', ...lines.map((line) => `${line}\necho @@`)].join('\n')
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder })
    const [made = '', sliced, survival, , staged, , registrar, table] = stdout.split('@@\n')
    expect(JSON.parse(made)).toMatchObject({ path: 'sample.bam' })
    expect(sliced).toMatch(/^slice\.bam\t[1-9]\d{3,} bytes\n$/)
    expect(survival).toMatch(/^cohort.*\nBrain\t\d+\t\d+\t\d+\nKidney\t\d+\t\d+\t\d+\nchi-squared /)
    expect(staged).toBe(`STAGED\t${CASES}\n`)
    expect(registrar?.split('\n').map((line) => line.split('\t'))).toMatchObject([
      ['patient', 'tumour', 'primary', 'site_group', 'schema', 'result'],
      ['1', '1', '1', '26000', '', 'FAILED_NO_MATCHING_SCHEMA'],
      ['1', '2', '2', '21043', 'bowel', 'STAGED'],
      [''],
    ])
    expect(table).toBe('cases\t2000 rows\tid VARCHAR, case_id VARCHAR, primary_site VARCHAR\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
