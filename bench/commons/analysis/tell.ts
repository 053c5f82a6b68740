import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inlineExecutor } from '../../../engine/shared/executor.ts'
import { DATA_FOLDER } from '../../data-folder.ts'
import { pinnedOf } from './answers.ts'
import { prepareInput } from './input.ts'
import { type InputName, LAYOUTS } from './layout.ts'
import { type Peers, withPeers } from './peers.ts'
import { findPython } from './python-peer.ts'
import { mutatedGenes, type Question, questionsOf, WORKLOADS } from './questions.ts'

// Prints what the peers say, for pins.ts:
//   node bench/commons/analysis/tell.ts full|quick|test

const QUESTIONS = 2

async function tell(name: InputName): Promise<void> {
  const python = await findPython()
  const folder = join(DATA_FOLDER, `analysis-${name}`)
  const note = (text: string) => console.error(text)
  const input = await prepareInput({ name, folder, executor: inlineExecutor, python, note })
  const scratch = await mkdtemp(join(folder, 'scratch-'))
  try {
    const questions = await questionsOf(name, input.matrix, await mutatedGenes(input.frames))
    await withPeers(input, { python, scratch }, async (peers) => {
      for (const workload of WORKLOADS) {
        const pins: string[] = []
        for (const question of questions[workload].slice(0, QUESTIONS)) {
          pins.push(await pinOf(question, peers))
        }
        console.log(`'${workload}': [${pins.join(', ')}],`)
      }
    })
  } finally {
    await rm(scratch, { recursive: true })
  }
}

/** What the last of the peers says that can answer; the bench compares all of them. */
async function pinOf(question: Question, { contestants }: Peers): Promise<string> {
  const [way] = contestants(question.kind).findLast(({ isPart }) => !isPart)?.ways ?? []
  return way ? JSON.stringify(pinnedOf(question, await way.answer(question))) : ''
}

const [name = ''] = process.argv.slice(2)
if (!Object.hasOwn(LAYOUTS, name)) throw new Error(`give one of ${Object.keys(LAYOUTS).join(', ')}`)
await tell(name as InputName)
