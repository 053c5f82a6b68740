import { open } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Command } from 'commander'
import type { Engine } from '../../engine/index.ts'
import { EngineError } from '../../engine/shared/index.ts'
import { explainSystemError, nearestOf, quotedName } from '../../engine/shared/internal.ts'
import type {
  ProjectSummary,
  SubmissionAnswer,
  SubmissionCaller,
  SubmissionFormat,
} from '../../engine/submission/index.ts'
import { withEngine } from '../data-engine.ts'
import { IssuesFound } from '../frame.ts'
import { formatTable } from '../table.ts'
import type { Terminal } from '../terminal.ts'

/** Caller that is recorded for registrations. */
const OPERATOR: SubmissionCaller = {
  principal: { user: 'casemill project', admin: true, projects: new Map() },
  tokenGiven: true,
}

/** Maximum size of a file of subjects. A million subjects take less. */
const MAX_BYTES = 128 << 20

/** Command `casemill project register|list|files|reopen|redact|subjects|references`. */
export function projectCommand(terminal: Terminal): Command {
  return new Command('project')
    .description('register what is submitted to: projects, their subjects, centers')
    .addCommand(registerCommand(terminal))
    .addCommand(listCommand(terminal))
    .addCommand(filesCommand(terminal))
    .addCommand(redactCommand(terminal))
    .addCommand(reopenCommand(terminal))
    .addCommand(subjectsCommand(terminal))
    .addCommand(referencesCommand(terminal))
}

interface RegisterOptions {
  readonly accession: string
  readonly programAccession?: string
  readonly name?: string
  readonly primarySite?: string
  readonly diseaseType?: string
}

function registerCommand(terminal: Terminal): Command {
  return new Command('register')
    .description(
      'register a project, and its program if needed; run it again to change the project',
    )
    .argument('<id>', 'program and code, joined by a hyphen: TRIAL-ONE')
    .requiredOption('--accession <text>', 'accession of the study in its registry')
    .option('--program-accession <text>', "accession of the program (default: the project's)")
    .option('--name <text>', 'full name (default: the code)')
    .option('--primary-site <text>', 'primary sites of the project')
    .option('--disease-type <text>', 'disease types of the project')
    .action(async (id: string, options: RegisterOptions, command: Command) => {
      const { program, project: code } = splitId(id)
      const document = {
        code,
        name: options.name ?? code,
        dbgap_accession_number: options.accession,
        ...(options.primarySite !== undefined && { primary_site: options.primarySite }),
        ...(options.diseaseType !== undefined && { disease_type: options.diseaseType }),
      }
      await withEngine(
        command,
        { create: true },
        async ({
          submission: {
            transactions: { projects },
          },
        }) => {
          const { programAccession, accession } = options
          const known = await projects.programs(OPERATOR)
          if (programAccession !== undefined || !known.includes(program)) {
            const given = programAccession ?? accession
            const body = { type: 'program', name: program, dbgap_accession_number: given }
            await projects.putProgram(asJson(body))
          }
          const answer = await projects.putProject({ ...asJson(document), program })
          const action = taken(answer, terminal)
          await terminal.write(`${id} ${action === 'create' ? 'registered' : 'updated'}\n`)
        },
      )
    })
}

const asJson = (document: object) => ({
  ...OPERATOR,
  body: Buffer.from(JSON.stringify(document)),
  format: 'json' as const,
})

/**
 * Returns the response's result for a project, and reports errors.
 * @throws IssuesFound
 */
function taken({ body }: SubmissionAnswer, terminal: Terminal): string | null {
  const { success, entities } = body as {
    readonly success: boolean
    readonly entities: readonly [
      { readonly action: string | null; readonly errors: readonly { readonly message: string }[] },
    ]
  }
  const [{ action, errors }] = entities
  if (success) return action
  for (const { message } of errors) terminal.explain(`casemill: ${message}`)
  throw new IssuesFound('the project is not accepted')
}

function listCommand(terminal: Terminal): Command {
  return new Command('list')
    .description('list the projects that accept submissions')
    .option('--json', 'print JSON')
    .action(async ({ json }: { readonly json?: boolean }, command: Command) => {
      const projects = await withEngine(
        command,
        { create: false },
        ({ submission: { transactions } }) => transactions.administration.projects(OPERATOR),
      )
      await terminal.write(
        json
          ? `${JSON.stringify(projects, null, 2)}\n`
          : projectTable(projects, terminal.out.isTTY),
      )
    })
}

function projectTable(projects: readonly ProjectSummary[], forPerson: boolean): string {
  return formatTable(
    ['project', 'state', 'released', 'entities', 'subjects'],
    projects.map(({ projectId, state, released, entities, subjects }) => [
      projectId,
      state,
      released ? 'yes' : 'no',
      String(entities),
      subjects === null ? 'all' : String(subjects),
    ]),
    forPerson,
  )
}

interface RedactOptions {
  readonly reason: string
  readonly withChildren?: boolean
  readonly dryRun?: boolean
}

function redactCommand(terminal: Terminal): Command {
  return new Command('redact')
    .description(
      'remove released entities from the next release; the log keeps them and the reason',
    )
    .argument('<id>', 'the project: TRIAL-ONE, or TRIAL/ONE')
    .argument('<entity...>', 'ids of entities')
    .requiredOption('--reason <text>', 'reason, for the log')
    .option('--with-children', 'include all entities below them; otherwise these must be named')
    .option('--dry-run', 'report what would be redacted, and change nothing')
    .action(async (id: string, ids: string[], options: RedactOptions, command: Command) => {
      const { program, project } = splitId(id)
      const { reason, withChildren = false, dryRun: isDryRun = false } = options
      const asked = { ids, reason, withChildren, isDryRun, path: 'redaction' }
      const { body } = await withEngine(
        command,
        { create: false },
        async ({ submission: { transactions } }) => {
          await requireProject(transactions.administration, `${program}-${project}`)
          return transactions.redact({ ...OPERATOR, program, project, ...asked })
        },
      )
      const { success, entities, message } = body as {
        readonly success: boolean
        readonly message: string
        readonly entities: readonly {
          readonly id: string
          readonly errors: readonly { readonly message: string }[]
        }[]
      }
      for (const { id, errors } of entities) {
        for (const error of errors) terminal.explain(`casemill: ${id}: ${error.message}`)
      }
      if (!success) throw new IssuesFound(message)
      await terminal.write(`${message}; casemill release makes the next release without them\n`)
    })
}

/** States in which the service still checks data. All other states wait for the submitter. */
const CHECKING: ReadonlySet<string> = new Set(['uploaded', 'validating'])
const LOOK_MILLISECONDS = 500

function filesCommand(terminal: Terminal): Command {
  return new Command('files')
    .description('count the files of a project by state; exit status 1 if any is in error')
    .argument('<id>', 'the project: TRIAL-ONE, or TRIAL/ONE')
    .option('--wait', 'wait until the running server has checked all uploaded files')
    .action(async (id: string, { wait = false }: { readonly wait?: boolean }, command: Command) => {
      const { program, project } = splitId(id)
      const states = await withEngine(
        command,
        { create: false },
        async ({ submission: { transactions } }) => {
          const { administration } = transactions
          const projectId = await requireProject(administration, `${program}-${project}`)
          for (;;) {
            const states = await administration.fileStates(OPERATOR, projectId)
            if (!wait || !states.some(({ fileState }) => CHECKING.has(fileState))) return states
            await pause(LOOK_MILLISECONDS, undefined, { signal: terminal.signal })
          }
        },
      )
      await terminal.write(
        formatTable(
          ['file_state', 'files'],
          states.map(({ fileState, files }) => [fileState, String(files)]),
          terminal.out.isTTY,
        ),
      )
      if (states.some(({ fileState }) => fileState === 'error')) {
        throw new IssuesFound('files in error')
      }
    })
}

function reopenCommand(terminal: Terminal): Command {
  return new Command('reopen')
    .description('reopen a submitted project, so that its submitters can correct it')
    .argument('<id>', 'the project: TRIAL-ONE, or TRIAL/ONE')
    .action(async (id: string, _options: object, command: Command) => {
      const { program, project } = splitId(id)
      const { body } = await withEngine(
        command,
        { create: false },
        async ({ submission: { transactions } }) => {
          await requireProject(transactions.administration, `${program}-${project}`)
          const asked = { path: 'reopening it', action: 'open' as const }
          return transactions.act({ ...OPERATOR, program, project, ...asked })
        },
      )
      const { success, entities, message } = body as {
        readonly success: boolean
        readonly message: string
        readonly entities: readonly unknown[]
      }
      if (!success) throw new EngineError('unavailable', message)
      const count = `${entities.length} submitted entities can be changed again`
      await terminal.write(`${program}-${project} is open; ${count}\n`)
    })
}

function subjectsCommand(terminal: Terminal): Command {
  return new Command('subjects')
    .description('restrict the new cases that a project accepts; by default it accepts all')
    .argument('<id>', 'the project')
    .argument('[file]', 'one submitter_id of a case per line; replaces the current list')
    .option('--all', 'accept all cases from now on, instead of a list')
    .action(async (id: string, file: string | undefined, options: object, command: Command) => {
      const all = 'all' in options
      if ((file === undefined) !== all) command.error('give either a file or --all')
      const subjects = file === undefined ? [] : await readSubjects(file)
      const { program, project } = splitId(id)
      const set = await withEngine(
        command,
        { create: false },
        async ({ submission: { transactions } }) => {
          await requireProject(transactions.administration, `${program}-${project}`)
          return transactions.administration.setSubjects({
            ...OPERATOR,
            program,
            project,
            subjects,
          })
        },
      )
      await terminal.write(`${id} takes cases of ${all ? 'all' : `${set.listed} subjects`}\n`)
      if (set.unlistedCases === 0) return
      terminal.explain(`casemill: ${set.unlistedCases} existing cases are not in the list`)
    })
}

async function readSubjects(file: string): Promise<string[]> {
  const text = new TextDecoder().decode(await readWhole(file))
  const subjects = text.split(/\r\n|\r|\n/).flatMap((line) => line.trim() || [])
  if (subjects.length > 0) return subjects
  throw new EngineError('bad_input', `"${basename(file)}" is empty; use --all to accept all cases`)
}

function referencesCommand(terminal: Terminal): Command {
  return new Command('references')
    .description(
      'register centers, tissue source sites and other entities that all projects can link to',
    )
    .argument(
      '<file>',
      'a table (.tsv, .csv) or JSON, with type, code and other columns of the template',
    )
    .action(async (file: string, _options: object, command: Command) => {
      const body = await readWhole(file)
      const put = await withEngine(
        command,
        { create: true },
        ({ submission: { transactions } }: Engine) =>
          transactions.administration.putReferences({
            ...OPERATOR,
            body,
            format: formatOfName(file),
          }),
      )
      const { created, updated, unchanged } = put
      await terminal.write(`${created} added, ${updated} changed, ${unchanged} as they were\n`)
    })
}

function formatOfName(file: string): SubmissionFormat {
  const ending = extname(file).toLowerCase()
  return ending === '.tsv' ? 'tsv' : ending === '.csv' ? 'csv' : 'json'
}

async function readWhole(path: string): Promise<Uint8Array> {
  const file = await open(path).catch((cause: unknown) => {
    throw explainSystemError(cause, path)
  })
  try {
    if ((await file.stat()).size <= MAX_BYTES) return await file.readFile()
    throw new EngineError('too_large', `"${path}" has more than ${MAX_BYTES >> 20} MiB`)
  } finally {
    await file.close()
  }
}

/**
 * Returns the registered id of a project.
 * @throws EngineError `not_found`, with the most similar id
 */
async function requireProject(
  administration: Engine['submission']['transactions']['administration'],
  id: string,
): Promise<string> {
  const ids = (await administration.projects(OPERATOR)).map(({ projectId }) => projectId)
  // Compared case-insensitively, as in the interface.
  const found = ids.find((known) => known.toLowerCase() === id.toLowerCase())
  if (found !== undefined) return found
  const message = `no project ${quotedName(id)} is registered; casemill project list shows the registered ones`
  throw new EngineError('not_found', `${message}${nearestOf(id, ids)}`)
}

/** Splits a project id at its first hyphen (submission.md 3), or a path at the slash. */
function splitId(id: string): { readonly program: string; readonly project: string } {
  const [, program, project] = /^([^-/]+)[-/](.+)$/.exec(id) ?? []
  if (program !== undefined && project !== undefined) return { program, project }
  const message = `project ${JSON.stringify(id)} is not a program and a code joined by a hyphen`
  throw new EngineError('bad_input', message)
}
