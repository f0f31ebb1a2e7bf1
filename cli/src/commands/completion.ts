import type { Command } from 'commander';
import { Terminal } from '../output/terminal.ts';

/** Scripts that ask the command itself for the words that can follow. */
const scripts: Record<string, string> = {
  bash: `_tenure() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(tenure complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tenure tenure`,
  zsh: `#compdef tenure
_tenure() {
  local -a words_found
  words_found=(\${(f)"$(tenure complete -- "\${(@)words[2,$CURRENT]}" 2>/dev/null)"})
  compadd -a words_found
}
compdef _tenure tenure`,
  fish: `complete -c tenure -f -a '(tenure complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
  powershell: `Register-ArgumentCompleter -Native -CommandName tenure -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($word -eq '') { $words += '' }
  tenure complete -- @words 2>$null | Where-Object { $_ -like "$word*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`,
};

/** Prints the script of a shell. */
export function printScript(shell: string): void {
  new Terminal().out(scripts[shell]!);
}

/** Prints the words that can follow, one a line. */
export function printWords(program: Command, words: readonly string[]): void {
  const terminal = new Terminal();
  for (const word of wordsAfter(program, words)) terminal.out(word);
}

/** Returns the words that can take the place of the last one. */
function wordsAfter(program: Command, words: readonly string[]): string[] {
  const last = words.at(-1) ?? '';
  let command = program;
  for (const word of words.slice(0, -1)) {
    command =
      command.commands.find((each) => each.name() === word.replaceAll('-', '_') || each.name() === word) ?? command;
  }
  const flags = [...command.options, ...(command === program ? [] : program.options)].flatMap(({ long }) =>
    long ? [long] : [],
  );
  const names = command.commands.filter((each) => each.name() !== 'complete').map((each) => each.name());
  const all = last.startsWith('-') ? flags : names;
  return all.filter((each) => each.startsWith(last));
}
