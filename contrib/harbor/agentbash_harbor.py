"""agentbash as an agent of Harbor (harborframework.com), which runs Terminal-Bench 2:

    AGENTBASH=dist/agentbash harbor run -d terminal-bench@2.0 \
        --agent-import-path agentbash_harbor:Agentbash -m openai/gpt-5

AGENTBASH is the static program for the containers' machine (make dist, or make build on the
same one); it is copied into each container, where nothing is installed. The trajectory
(ATIF) is trajectory.json in the trial's logs.
"""

import json
import os
import shlex
from pathlib import Path

from harbor.agents.base import BaseAgent

PROGRAM = "/usr/local/bin/agentbash"
KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY", "DEEPSEEK_API_KEY")


class Agentbash(BaseAgent):
    SUPPORTS_ATIF = True

    @staticmethod
    def name():
        return "agentbash"

    def version(self):
        return os.environ.get("AGENTBASH_VERSION", "0.2.0")

    async def setup(self, environment):
        source = Path(os.environ.get("AGENTBASH", "bin/agentbash"))
        if not source.is_file():
            raise FileNotFoundError(f"{source}: set AGENTBASH to the program (make build)")
        await environment.upload_file(source_path=source, target_path=PROGRAM)
        await environment.exec(command=f"chmod +x {PROGRAM}")

    async def run(self, instruction, environment, context):
        words = [PROGRAM, "-p", "-", "--mode", "full", "--output-format", "json"]
        if self.model_name:
            provider, _, model = self.model_name.rpartition("/")
            words += (["--provider", provider] if provider else []) + ["--model", model]
        env = {k: os.environ[k] for k in KEYS if k in os.environ}
        try:
            done = await environment.exec(command=f"printf %s {shlex.quote(instruction)} | {shlex.join(words)}", env=env)
            Path(self.logs_dir, "agentbash.txt").write_text(done.stderr or "")
            result = json.loads(done.stdout)
            context.n_input_tokens = result["usage"]["prompt"]
            context.n_cache_tokens = result["usage"]["cached"]
            context.n_output_tokens = result["usage"]["completion"]
            context.cost_usd = result["cost"]
        finally:  # a trial that ran out of time has a trajectory too
            last = f'{PROGRAM} sessions export "$({PROGRAM} sessions list --all | head -n 1 | cut -d" " -f1)" --format atif'
            done = await environment.exec(command=last)
            if done.return_code == 0:
                Path(self.logs_dir, "trajectory.json").write_text(done.stdout)
