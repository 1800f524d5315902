"""A tokenizer that gives each byte a token, and a language model with random weights: real ones that need no download."""

from __future__ import annotations

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from locallens_nb.models.chat import Sampling, TransformersChatModel

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)


def make_tokenizer(template: str = CHATML) -> PreTrainedTokenizerFast:
    """Make a tokenizer that gives each byte a token, with the two control tokens of ChatML."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    backend = Tokenizer(models.BPE(vocab={letter: number for number, letter in enumerate(alphabet)}, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        eos_token="<|im_end|>",  # noqa: S106
        additional_special_tokens=["<|im_start|>", "<|im_end|>"],
        chat_template=template,
    )


def make_chat_model() -> TransformersChatModel:
    """Make a chat model that writes nonsense, always the same, up to 24 tokens."""
    tokenizer = make_tokenizer()
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        eos_token_id=None,
        bos_token_id=None,
    )
    sampling = Sampling(context_tokens=4096, max_new_tokens=24, temperature=0.2, top_p=0.9, seed=0)
    return TransformersChatModel(Qwen2ForCausalLM(config).eval(), tokenizer, name="tiny (float32)", sampling=sampling)
