import ts from 'typescript'

/** A type that a declaration of a door names and that no door exports. */
interface Unexported {
  readonly type: string
  /** File that declares the type. */
  readonly file: string
  /** Export whose declaration names the type. */
  readonly by: string
}

/**
 * Types that users of the doors could not name. Tags of the reference count as there: what
 * `@interface` and `@inline` stand at is shown as what it comes to, and needs no name.
 * @param doors files of declarations
 */
export function unexportedTypes(doors: readonly string[], options: ts.CompilerOptions) {
  const program = ts.createProgram([...doors], options)
  const checker = program.getTypeChecker()
  const original = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const exportsOf = (door: string) => {
    const file = program.getSourceFile(door)
    const module = file && checker.getSymbolAtLocation(file)
    if (!module) throw new Error(`"${door}" is no module`)
    return checker.getExportsOfModule(module)
  }
  const exported = doors.flatMap(exportsOf)
  const reachable = new Set(exported.map(original))
  const constructible = new Set(exported.filter((symbol) => !isTypeOnly(symbol)).map(original))
  const found = new Map<ts.Symbol, Unexported>()

  const isForeign = (node: ts.Node) => {
    const file = node.getSourceFile()
    return program.isSourceFileFromExternalLibrary(file) || program.isSourceFileDefaultLibrary(file)
  }

  const isConstructible = ({ parent }: ts.ConstructorDeclaration) => {
    const symbol = parent.name && checker.getSymbolAtLocation(parent.name)
    return symbol !== undefined && constructible.has(symbol)
  }

  function look(node: ts.Node, by: string): void {
    if (isPrivate(node) || (ts.isConstructorDeclaration(node) && !isConstructible(node))) return
    const name = nameOf(node)
    const symbol = name && checker.getSymbolAtLocation(name)
    if (symbol) note(original(symbol), by)
    ts.forEachChild(node, (child) => look(child, by))
  }

  function note(symbol: ts.Symbol, by: string): void {
    const [declaration] = symbol.declarations ?? []
    if (!declaration || ts.isTypeParameterDeclaration(declaration) || isForeign(declaration)) return
    if (reachable.has(symbol) || found.has(symbol) || isTagged(symbol, 'inline')) return
    const file = declaration.getSourceFile().fileName
    found.set(symbol, { type: symbol.name, file, by })
  }

  for (const symbol of reachable) {
    if (isTagged(symbol, 'interface')) continue
    for (const declaration of symbol.declarations ?? []) {
      if (!isForeign(declaration)) look(declaration, symbol.name)
    }
  }
  return [...found.values()]
}

/** Returns the part of a node that names a type. */
function nameOf(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName
  if (ts.isExpressionWithTypeArguments(node)) return node.expression
  return undefined
}

/** Whether a door says `export type`: of a class, users have objects and cannot make any. */
function isTypeOnly(symbol: ts.Symbol): boolean {
  return (symbol.declarations ?? []).some(
    (node) => ts.isExportSpecifier(node) && (node.isTypeOnly || node.parent.parent.isTypeOnly),
  )
}

function isPrivate(node: ts.Node): boolean {
  return (
    ts.isClassElement(node) &&
    ((ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) !== 0 ||
      (node.name !== undefined && ts.isPrivateIdentifier(node.name)))
  )
}

function isTagged(symbol: ts.Symbol, tag: string): boolean {
  return symbol.getJsDocTags().some(({ name }) => name === tag)
}
