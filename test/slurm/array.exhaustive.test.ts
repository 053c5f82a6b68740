import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runProgram } from '../../bin/support/program.ts'
import { available } from '../available.ts'
import { eventually } from '../eventually.ts'
import { SlurmCluster } from './cluster.ts'

const ROOT = join(import.meta.dirname, '../..')
const SCRIPT = join(ROOT, 'docs/slurm/casemill-shard.sh')
const SHARDS = 4
/** A shard of this many pairs takes a second of one processor in addition to the start of the program. */
const PAIRS = 100_000

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-array-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const tumour = (histology: string, year: string) => ({
  primary_site: 'C770',
  histology_icd_o3: histology,
  behavior_icd_o3: '3',
  date_of_diagnosis_year: year,
  date_of_diagnosis_month: '01',
})

test.skipIf(!available.slurm)(
  'an array does all shards of a plan, though a node is lost with the task that it runs',
  async () => {
    const pairs = join(folder, 'pairs.ndjson')
    const pair = JSON.stringify({ input1: tumour('9650', '1996'), input2: tumour('9667', '1998') })
    writeFileSync(pairs, `${pair}\n`.repeat(PAIRS) + '[]\n'.repeat(3))
    const plan = join(folder, 'plan')
    const planned = await runProgram(['plan', 'mph', pairs, '--out', plan, '--shards', `${SHARDS}`])
    expect(planned).toMatchObject({ status: 0, out: `${SHARDS}\n` })

    await using cluster = await SlurmCluster.start()
    const casemill = `${process.execPath} ${join(ROOT, 'bin/casemill.ts')}`
    const words = ['--parsable', `--array=1-${SHARDS}`, '--cpus-per-task=1', '--mem=100M']
    const output = ['-o', join(folder, '%a.log'), `--export=ALL,CASEMILL=${casemill}`]
    const job = (await cluster.run('sbatch', ...words, ...output, SCRIPT, plan)).trim()

    // The second node is lost while its task is at work on a shard.
    const task = await eventually(async () => {
      const id = (await cluster.run('squeue', '-h', '-t', 'R', '-w', 'n2', '-o', '%K')).trim()
      const begun = `.shard-${id.padStart(5, '0')}.`
      expect(readdirSync(plan).find((name) => name.startsWith(begun))).toBeDefined()
      return id
    })
    await cluster.killNode('n2')
    await cluster.run('scontrol', 'update', 'NodeName=n2', 'State=DOWN', 'Reason=lost')
    const facts = () => cluster.run('scontrol', 'show', 'job', `${job}_${task}`)
    await eventually(async () => expect(await facts()).toMatch(/JobState=PENDING/))
    cluster.startNode('n2')
    // Otherwise Slurm waits two minutes before it runs such a task again.
    await cluster.run('scontrol', 'update', `JobId=${job}_${task}`, 'StartTime=now')

    await eventually(async () => {
      expect((await cluster.run('squeue', '-h')).trim(), cluster.logs()).toBe('')
    })
    expect(await facts()).toMatch(/JobState=COMPLETED(.|\n)*Restarts=1/)
    const said = Array.from({ length: SHARDS }, (_, i) => {
      return readFileSync(join(folder, `${i + 1}.log`), 'utf8')
    })
    for (const [i, log] of said.entries()) {
      expect(log).toMatch(new RegExp(`shard ${i + 1} of ${SHARDS}: \\d+ lines`))
    }
    expect(readdirSync(plan).filter((name) => name.startsWith('.'))).toEqual([])

    const alone = await runProgram(['mph', pairs])
    const joined = await runProgram(['join', '--plan', plan])
    expect(joined.out === alone.out, 'the answers are those of a single run').toBe(true)
    expect(joined).toMatchObject({ status: alone.status, err: alone.err })
    expect(alone.err).toContain('3 lines have an error as result')
  },
)
