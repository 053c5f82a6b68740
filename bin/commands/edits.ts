import { Command, Option } from 'commander'
import {
  EDIT_FORMATS,
  type EditFormat,
  type EditSummary,
  LineBatches,
  Naaccr,
  RegistryEdits,
  type RuleSet,
  readRules,
  SHIPPED_RULES,
} from '../../engine/registry/index.ts'
import { withSharedState } from '../data-folder.ts'
import { FileTotals } from '../file-totals.ts'
import { IssuesFound } from '../frame.ts'
import { keepYoungSmall, limitHeaps } from '../heaps.ts'
import { lineFileName, openLines } from '../line-file.ts'
import { deliverResults, dictionaryFinder, printCounts, processFiles } from '../registry-file.ts'
import { readStoredSettings } from '../stored-settings.ts'
import type { Terminal } from '../terminal.ts'
import { withThreads } from '../threads.ts'

interface Options {
  readonly dictionary?: readonly string[]
  readonly rules?: string
  readonly printRules?: true
  readonly format: EditFormat
  readonly output?: string
}

/** Command `casemill edits cases.xml --rules own-rules.txt`. */
export function editsCommand(terminal: Terminal): Command {
  const formats = new Option(
    '--format <name>',
    'ndjson: an object for each patient; tsv: a row for each failed check',
  )
  return new Command('edits')
    .description(
      'check the items of a NAACCR file, individually and by rules; exit status 1 if a check fails',
    )
    .argument(
      '[file...]',
      'NAACCR XML, or fixed columns of version 18, plain or gzip; - for standard input',
    )
    .option(
      '--dictionary <file...>',
      'dictionaries of the file (XML, plain or gzip), instead of the imported ones',
    )
    .option('--rules <file>', 'rule file; by default CASEMILL_EDIT_RULES, or the built-in rules')
    .option('--print-rules', 'print the built-in rules, as a basis for your own, and exit')
    .addOption(formats.choices(EDIT_FORMATS).default('ndjson'))
    .option(
      '-o, --output <path>',
      'output file; a folder for several files; by default standard output',
    )
    .action(async (paths: readonly string[], options: Options, command: Command) => {
      if (options.printRules) {
        await terminal.write(SHIPPED_RULES)
        return
      }
      if (paths.length === 0) command.error("error: missing required argument 'file'")
      else await editFiles(paths, options, command, terminal)
    })
}

function editFiles(
  paths: readonly string[],
  { dictionary, rules: ruleFile, format, output }: Options,
  command: Command,
  terminal: Terminal,
): Promise<void> {
  limitHeaps()
  keepYoungSmall()
  const { signal } = terminal
  return withSharedState(command, { create: false }, (state) =>
    withThreads(async (executor) => {
      const rules = await readRules(ruleFile ?? readStoredSettings().editRules, signal)
      const naaccr = new Naaccr({ state })
      const findDictionary = await dictionaryFinder(dictionary, naaccr, signal)
      const edits = new RegistryEdits({ batches: new LineBatches(executor) })
      const totals = new FileTotals(KINDS)
      await processFiles(paths, { output, extension: format }, terminal, async (one) => {
        const file = lineFileName(one.path)
        const edited = await edits.check(await openLines(one.path), {
          findDictionary,
          findCodes: (version) => naaccr.codes(version),
          rules,
          format,
          signal,
          file,
        })
        await deliverResults(edited, {
          file,
          output: one.output,
          terminal,
          explain: () => {
            totals.add(edited.summary())
            explain(edited.summary(), rules, file, terminal)
          },
        })
        if (edited.summary().counts.length > 0) throw new IssuesFound()
      }).finally(() => {
        if (paths.length > 1) totals.explain(terminal)
      })
    }),
  )
}

const KINDS: Readonly<Record<string, string>> = {
  refused: 'patients not edited',
  edit: 'edits not passed',
}

/** Prints how many patients were checked, by which rules, and which edits failed. */
function explain(
  { patients, tumors, rules: applied, notApplied, codedItems, counts }: EditSummary,
  { rules }: RuleSet,
  file: string | undefined,
  terminal: Terminal,
): void {
  const of = file === undefined ? '' : `${file}: `
  terminal.explain(
    `casemill: ${of}${patients} patients with ${tumors} tumors, by ${applied} rules and the codes of ${codedItems} items`,
  )
  if (notApplied.length > 0) {
    const what = 'rules that read items which the file cannot have, and were not applied'
    terminal.explain(`casemill: warning: ${what}: ${notApplied.join(', ')}`)
  }
  const names = new Map(rules.map(({ number, name }) => [number, name]))
  const named = counts.map(({ of: _, ...one }) => {
    const name = names.get(one.code)
    return name === undefined ? one : { ...one, code: `${one.code} ${name}` }
  })
  printCounts(named, KINDS, terminal)
}
