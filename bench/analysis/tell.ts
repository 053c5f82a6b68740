import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { inlineExecutor } from '../../engine/executor.ts'
import { pinnedOf } from './answers.ts'
import { prepareInput } from './input.ts'
import { type InputName, LAYOUTS } from './layout.ts'
import { withPeers } from './peers.ts'
import { findPython } from './python-peer.ts'
import { mutatedGenes, questionsOf, WORKLOADS } from './questions.ts'

// Prints what the first peer that can answers to the first questions of every workload, for pins.ts:
//   node bench/analysis/tell.ts full|quick|test

const QUESTIONS = 2

async function tell(name: InputName): Promise<void> {
  const python = await findPython()
  const folder = join(import.meta.dirname, '..', 'data', `analysis-${name}`)
  const note = (text: string) => console.error(text)
  const input = await prepareInput({ name, folder, executor: inlineExecutor, python, note })
  const scratch = await mkdtemp(join(folder, 'scratch-'))
  try {
    const questions = await questionsOf(name, input.matrix, await mutatedGenes(input.frames))
    await withPeers(input, { python, scratch }, async ({ contestants }) => {
      for (const workload of WORKLOADS) {
        for (const question of questions[workload].slice(0, QUESTIONS)) {
          for (const { name: who, ways } of contestants(question.kind).filter(
            ({ isPart }) => !isPart,
          )) {
            for (const way of ways) {
              const start = performance.now()
              const answer = await way.answer(question)
              const ms = (performance.now() - start).toFixed(0)
              console.log(workload, who, way.name, JSON.stringify(pinnedOf(question, answer)), ms)
            }
          }
        }
      }
    })
  } finally {
    await rm(scratch, { recursive: true })
  }
}

const [name = ''] = process.argv.slice(2)
if (!Object.hasOwn(LAYOUTS, name)) throw new Error(`give one of ${Object.keys(LAYOUTS).join(', ')}`)
await tell(name as InputName)
