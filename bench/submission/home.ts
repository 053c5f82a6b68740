import { type Engine, openEngine } from '../../engine/index.ts'
import type { Principal } from '../../engine/shared/access/principal.ts'
import { inlineExecutor } from '../../engine/shared/index.ts'
import { AMOUNTS, type InputName, PROGRAM, parentsOf, projectCode } from './input.ts'

const ADMIN: Principal = { user: 'bench', admin: true, projects: new Map() }
const CALLER = { principal: ADMIN, tokenGiven: true }

interface Home {
  /** Of an administrator. */
  readonly token: string
  /** One sample of each project. */
  readonly sampleIds: readonly string[]
}

/** Registers the projects in a data folder and submits what aliquots link to. */
export async function makeHome(
  dataFolder: string,
  name: InputName,
  stateUrl?: string,
): Promise<Home> {
  const engine = await openEngine({ dataFolder, executor: inlineExecutor, stateUrl })
  try {
    const sampleIds: string[] = []
    for (let i = 0; i < AMOUNTS[name].projects; i++) {
      sampleIds.push(await fillProject(engine, name, projectCode(i)))
    }
    const { secret } = await engine.shared.tokens.create({ user: 'bench', admin: true })
    return { token: secret, sampleIds }
  } finally {
    await engine.close()
  }
}

async function fillProject(
  { submission: { transactions } }: Pick<Engine, 'submission'>,
  name: InputName,
  code: string,
): Promise<string> {
  const json = (value: object) => ({
    ...CALLER,
    body: Buffer.from(JSON.stringify(value)),
    format: 'json' as const,
  })
  const { projects } = transactions
  await projects.putProgram(
    json({ type: 'program', name: PROGRAM, dbgap_accession_number: PROGRAM }),
  )
  const project = { code, name: code, dbgap_accession_number: code }
  await projects.putProject({ ...json(project), program: PROGRAM })
  let id = ''
  for (const text of parentsOf(AMOUNTS[name], code)) {
    const { body } = await transactions.upload({
      ...CALLER,
      program: PROGRAM,
      project: code,
      path: '',
      operation: 'create',
      format: 'json',
      body: Buffer.from(text),
    })
    const { success, entities } = body as UploadAnswer
    if (!success) throw new Error(`parents are refused: ${JSON.stringify(body).slice(0, 1000)}`)
    id = entities[0]?.id ?? ''
  }
  return id
}

/** What is read of the answer to an upload. */
export interface UploadAnswer {
  readonly success: boolean
  readonly created_entity_count: number
  readonly cases_related_to_created_entities_count: number
  readonly entities: readonly { readonly id: string }[]
}
