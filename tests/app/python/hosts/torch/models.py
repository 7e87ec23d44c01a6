"""Models of PyTorch as users write them, small."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class BasicBlock(nn.Module):  # type: ignore[misc]
    """Two convolutions beside a shortcut, as He et al. (2016) have them."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1 or inputs != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        return torch.relu(y + self.shortcut(x))


class ResNet(nn.Module):  # type: ignore[misc]
    """A stem, two stages of blocks, and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 4, 3, 1, 1, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        )
        self.layer1 = nn.Sequential(BasicBlock(4, 4), BasicBlock(4, 4))
        self.layer2 = nn.Sequential(BasicBlock(4, 8, 2), BasicBlock(8, 8))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(8, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        x = self.layer2(self.layer1(x))
        return self.head(self.pool(x).flatten(1))


class Classifier(nn.Module):  # type: ignore[misc]
    """An embedding, an encoder layer of a transformer with dropout, and a head."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 16)
        self.encoder = nn.TransformerEncoderLayer(16, 2, 32, dropout, activation="gelu", batch_first=True)
        self.head = nn.Linear(16, 4)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embed(tokens)
        x = self.encoder(x)
        return self.head(x.mean(1))


def image(seed: int = 1) -> Tensor:
    """Two images of 16 by 16."""
    return torch.randn(2, 3, 16, 16, generator=torch.Generator().manual_seed(seed))


def tokens(seed: int = 1) -> Tensor:
    """Two sentences of six tokens."""
    return torch.randint(0, 20, (2, 6), generator=torch.Generator().manual_seed(seed))


def made(kind: Any, **options: Any) -> Any:
    """A model with weights from a fixed seed."""
    torch.manual_seed(0)
    return kind(**options)


def loss_of(scores: Tensor) -> Tensor:
    """Cross entropy with the classes 0, 1, …"""
    return nn.functional.cross_entropy(scores, torch.arange(len(scores)))
