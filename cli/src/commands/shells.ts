/** The shells that complete commands, with where the script of each belongs. */
export const shells: Record<string, string> = {
  bash: 'tenure completion bash >> ~/.bashrc',
  zsh: 'tenure completion zsh > "${fpath[1]}/_tenure"',
  fish: 'tenure completion fish > ~/.config/fish/completions/tenure.fish',
  powershell: 'tenure completion powershell >> $PROFILE',
};
