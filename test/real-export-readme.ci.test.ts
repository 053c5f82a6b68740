import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { openEngine } from '../engine/index.ts'
import { inlineExecutor } from '../engine/shared/index.ts'

// Runs the commands of examples/real-export/README.md in order, exactly as written, and checks the resulting cohort.

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = join(ROOT, 'examples/real-export')
const README = readFileSync(join(FOLDER, 'README.md'), 'utf8')
const COMMANDS = [...README.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block).join('')

// In the folder cart, with R 4.2 and survival 3.5:
//   d <- unique(read.delim("clinical.tsv", na.strings = "'--")[c(2, 15, 9, 20, 17)])
//   names(d) <- c("id", "v", "dd", "df", "stage"); d$t <- ifelse(d$v == "Dead", d$dd, d$df)
//   survfit(Surv(t, v == "Dead") ~ stage, d); s <- survdiff(Surv(t, v == "Dead") ~ stage, d)
//   print(sum((s$obs - s$exp)^2 / s$exp), digits = 12)
const MEDIANS = [
  ['Stage IA', '8', '5', '1116'],
  ['Stage IIIA', '8', '6', '417'],
]
const CHI_SQUARED = 2.03553251456

test('the five tables become one cohort', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'casemill-real-export-'))
  try {
    cpSync(join(FOLDER, 'cart'), join(folder, 'examples/real-export/cart'), { recursive: true })
    const node = `"${process.execPath}"`
    const lines = COMMANDS.trim()
      .replaceAll('npm run -s casemill --', `${node} "${ROOT}/bin/casemill.ts"`)
      .replaceAll('npm run -s example -- ', `${node} --conditions=casemill-source "${ROOT}"/`)
      .split('\n')
    expect(lines).toHaveLength(4)
    const script = ['set -euo pipefail', ...lines.map((line) => `${line}\necho @@`)].join('\n')
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: folder })
    const [dry = '', made = '', survival = '', table] = stdout.split('@@\n')

    for (const report of [dry, made]) {
      expect(report.split('\n').slice(6, -1)).toEqual([
        'Data Release 1.0:',
        '  projects: 1',
        '    1 are named but not described: RIVER-LUNG',
        '  cases: 16',
        '  files: 20',
        '  16 records without an id were recognised by their name',
      ])
    }
    const [, early, late, test = ''] = survival.split('\n')
    expect([early, late].map((line) => line?.split('\t'))).toEqual(MEDIANS)
    expect(Number(/chi-squared (\S+)/.exec(test)?.[1])).toBeCloseTo(CHI_SQUARED, 9)
    expect(table).toMatch(/^files\t20 rows\t/)
    await expectJoined(join(folder, 'river'))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** Expects one file with facts that only the individual tables contain. */
async function expectJoined(dataFolder: string): Promise<void> {
  const [header = [], ...rows] = readFileSync(join(FOLDER, 'cart/gdc_sample_sheet.tsv'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  const at = (name: string) => header.indexOf(name)
  const normal = rows.find((row) => row[at('Tissue Type')] === 'Normal') ?? []
  const engine = await openEngine({ dataFolder, executor: inlineExecutor })
  try {
    await engine.commons.start()
    await using answer = await engine.commons.search.search('files', {
      filters: { op: '=', content: { field: 'file_id', value: normal[at('File ID')] } },
      size: 10,
      from: 0,
      format: 'json',
      pretty: false,
      expand: [
        ...['analysis', 'cases', 'cases.demographic', 'cases.diagnoses'],
        ...['cases.samples', 'cases.samples.portions', 'cases.samples.portions.analytes'],
        'cases.samples.portions.analytes.aliquots',
      ],
    })
    const { data } = (await json(answer.body)) as {
      readonly data: { readonly hits: readonly unknown[] }
    }
    expect(data.hits).toHaveLength(1)
    const barcode = normal[at('Sample ID')]
    expect(data.hits[0]).toMatchObject({
      access: 'open',
      analysis: { workflow_type: 'STAR - Counts' },
      cases: [
        {
          submitter_id: normal[at('Case ID')],
          demographic: { ethnicity: 'not hispanic or latino' },
          diagnoses: [{ icd_10_code: expect.stringMatching(/^C34/) }],
          samples: [
            {
              submitter_id: barcode,
              tissue_type: 'Normal',
              portions: [
                {
                  analytes: [
                    { aliquots: [{ submitter_id: `${barcode}-11R-0401-07` }], analyte_type: 'RNA' },
                  ],
                },
              ],
            },
          ],
        },
      ],
    })
  } finally {
    await engine.close()
  }
}
