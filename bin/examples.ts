import type { Command } from 'commander'

/** Command lines that a reader can start from, by the words of the command. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = Object.freeze({
  serve: ['casemill serve', 'casemill serve --data my-data --port 9000 --processes 4'],
  'import bam': [
    'casemill import bam sample.bam --access open --data my-data',
    'casemill import bam alignments/ --project TRIAL-ONE --link --data my-data',
  ],
  'import commons': [
    'casemill import commons exports/ --dry-run --data my-data',
    'casemill import commons cases.json clinical.tsv --data my-data',
  ],
  'import copy-number': ['casemill import copy-number copies/ --data my-data'],
  'import disease': ['casemill import disease diseases.ndjson --publish --data my-data'],
  'import expression': ['casemill import expression counts/ --data my-data'],
  'import files': [
    'casemill import files --manifest manifest.txt --from downloads/ --data my-data',
  ],
  'import genes': ['casemill import genes genes.tsv.gz --data my-data'],
  'import glossary': ['casemill import glossary terms.ndjson --publish --dry-run --data my-data'],
  'import hcpcs': ['casemill import hcpcs hcpcs.tsv.gz --data my-data'],
  'import hematopoietic': [
    'casemill import hematopoietic Hematopoietic2010.csv --dry-run --data my-data',
    'casemill import hematopoietic --shipped --data my-data',
  ],
  'import maf': ['casemill import maf mutations.maf.gz --data my-data'],
  'import ndc': [
    'casemill import ndc product.txt package.txt --dry-run --report rows.tsv --data my-data',
  ],
  'import rx': ['casemill import rx drugs.ndjson --publish --data my-data'],
  'import staging': ['casemill import staging tnm-2.0.zip --dry-run --data my-data'],
  get: [
    'casemill get --server http://127.0.0.1:8080 -m manifest.txt -d downloads',
    'casemill get --server https://api.example.org --token-file token.txt 0c2a4a8e-53a5-5d35-9c3f-6f0f6c6b2d01',
  ],
  slice: [
    'casemill slice sample.bam chr17:7661779-7687550 -o tp53.bam',
    'casemill slice sample.bam --gene TP53 --data my-data -o tp53.bam',
  ],
  stage: [
    'casemill stage cases.ndjson --algorithm tnm --version 2.0 --data my-data -o stages.ndjson',
  ],
  mph: ['casemill mph pairs.ndjson -o answers.ndjson'],
  check: ['casemill check --deep --data my-data'],
  upgrade: ['casemill upgrade --data my-data'],
  'key create': ['casemill key create --role STAGING_EDITOR --user ada --data my-data'],
  'key list': ['casemill key list --data my-data'],
  'key revoke': ['casemill key revoke 3f9c2b7a --data my-data'],
  'notification add': [
    "casemill notification add 'No downloads on Sunday' --level WARNING --component DOWNLOADS --until 2026-12-06 --data my-data",
  ],
  'notification list': ['casemill notification list --data my-data'],
  'notification remove': ['casemill notification remove 1 --data my-data'],
  'project list': ['casemill project list --data my-data'],
  'project references': ['casemill project references centers.tsv --data my-data'],
  'project register': [
    "casemill project register TRIAL-ONE --accession trial-1 --name 'A first trial' --data my-data",
  ],
  'project redact': [
    "casemill project redact TRIAL-ONE 7b2e8a52-5d1c-4f0e-9a8e-2f4d3f6a1b0c --reason 'consent was withdrawn' --data my-data",
  ],
  'project reopen': ['casemill project reopen TRIAL-ONE --data my-data'],
  'project subjects': [
    'casemill project subjects TRIAL-ONE subjects.txt --data my-data',
    'casemill project subjects TRIAL-ONE --all --data my-data',
  ],
  release: ['casemill release --dry-run --data my-data'],
  'token create': [
    'casemill token create --user ada --project TRIAL-ONE --data my-data',
    'casemill token create --user eve --project TRIAL-ONE:read,create,update --expires 7 --data my-data',
  ],
  'token list': ['casemill token list --data my-data'],
  'token revoke': ['casemill token revoke 3f9c2b7a --data my-data'],
})

/** Puts the examples of each command behind its help. */
export function addExamples(program: Command): void {
  for (const [words, command] of namedCommands(program)) {
    const lines = EXAMPLES[words]
    if (lines) command.addHelpText('after', ['', 'Examples:', ...lines].join('\n  ').trimEnd())
  }
}

/** Every command below the program that has no others below it, with the words that name it. */
export function namedCommands(
  parent: Command,
  before: readonly string[] = [],
): readonly (readonly [words: string, command: Command])[] {
  return parent.commands.flatMap((command) => {
    const words = [...before, command.name()]
    if (command.commands.length > 0) return namedCommands(command, words)
    return [[words.join(' '), command] as const]
  })
}
